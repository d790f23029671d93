export function tar(files: Readonly<Record<string, { readonly contents: Buffer; readonly mode: number }>>): Buffer;
