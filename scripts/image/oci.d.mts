import type { ArchiveFiles } from './tar.mjs';

export interface ImageAbout {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  readonly config: object;
}

export function imageLayout(layers: readonly ArchiveFiles[], about: ImageAbout): ArchiveFiles;
