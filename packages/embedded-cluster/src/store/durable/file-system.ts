import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';

/** What the durable store asks of a disk. */
export interface FileSystem {
  makeDirectory(path: string): Promise<void>;
  names(directory: string): Promise<readonly string[]>;
  /** Whole files, below 2 GiB each. */
  read(path: string): Promise<Buffer>;
  /** An empty file, in place of one that may be there. */
  create(path: string): Promise<LogFile>;
  /** Cuts a file to this length, and makes sure that what is left is on disk. */
  settle(path: string, length: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes names durable: of files that were created, renamed or removed. */
  syncDirectory(path: string): Promise<void>;
}

export interface LogFile {
  append(data: Buffer): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What is stored may be secret: only the owner reads it. */
const fileMode = 0o600;
const directoryMode = 0o700;

export const realFileSystem: FileSystem = {
  async makeDirectory(path) {
    await mkdir(path, { recursive: true, mode: directoryMode });
  },
  names: (directory) => readdir(directory),
  read: (path) => readFile(path),
  create: createFile,
  async settle(path, length) {
    const handle = await open(path, 'r+');
    try {
      await handle.truncate(length);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true }),
  async syncDirectory(path) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

async function createFile(path: string): Promise<LogFile> {
  const handle = await open(path, 'w', fileMode);
  return {
    async append(data) {
      for (let written = 0; written < data.length; ) {
        written += (await handle.write(data, written, data.length - written)).bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}
