export type ArchiveFiles = Readonly<Record<string, { readonly contents: Buffer; readonly mode: number }>>;

export function tar(files: ArchiveFiles): Buffer;
