import type { FileHandle } from "node:fs/promises";
import type { StoredBytes, StreamStore } from "../../edm/stream-property.ts";

/** The bytes that are read at once. */
const CHUNK = 65_536;
const ID = /^[\da-f]{32}$/u;
const PART = ".part";
/** The time in milliseconds after which an unfinished file is left by a process that has ended. */
const LEFT = 86_400_000;

/** Makes the store of `fileStore`. @see docs/guides/streams.md, Files */
export function storeFiles(directory: string): StreamStore {
  // Modules of Node.js are loaded when the first stream is used. @see docs/decisions/0037-fast-start.md
  const files = process.getBuiltinModule("node:fs/promises");
  const { join, resolve } = process.getBuiltinModule("node:path");
  const { createHash, randomBytes } = process.getBuiltinModule("node:crypto");
  const root = resolve(directory);
  const folderOf = (id: string): string => join(root, id.slice(0, 2));

  async function write(bytes: ReadableStream<Uint8Array>): Promise<StoredBytes> {
    const id = randomBytes(16).toString("hex");
    const folder = folderOf(id);
    await makeFolder(folder);
    const part = join(folder, id + PART);
    try {
      const written = await writePart(part, bytes);
      await files.rename(part, join(folder, id));
      await flushFolder(folder);
      return { id, ...written };
    } catch (error) {
      await files.rm(part, { force: true });
      await files.rm(join(folder, id), { force: true });
      throw error;
    }
  }

  /** Makes a folder of files, once. Removes what a process left there that ended while it wrote. */
  async function makeFolder(folder: string): Promise<void> {
    if ((await files.mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) return flushFolder(root);
    for (const name of await files.readdir(folder)) {
      if (!name.endsWith(PART)) continue;
      const path = join(folder, name);
      const { mtimeMs } = await files.stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > LEFT) await files.rm(path, { force: true });
    }
  }

  async function writePart(
    path: string,
    bytes: ReadableStream<Uint8Array>,
  ): Promise<Pick<StoredBytes, "length" | "etag">> {
    const hash = createHash("sha256");
    let length = 0;
    const file = await files.open(path, "wx", 0o600);
    const reader = bytes.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        hash.update(next.value);
        length += next.value.length;
        await writeWhole(file, next.value);
      }
      await file.sync();
    } catch (error) {
      void reader.cancel(error).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
    return { length, etag: hash.digest("base64url") };
  }

  /** Makes the names in a folder lasting. Windows has no way to do it. */
  async function flushFolder(folder: string): Promise<void> {
    if (process.platform === "win32") return;
    const handle = await files.open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** @throws Error for an id of another store */
  function pathOf(id: string): string {
    if (!ID.test(id)) throw new Error("The id of a stream is none of this store.");
    return join(folderOf(id), id);
  }

  return Object.freeze<StreamStore>({
    write,
    read: async (id, { start, end }) => readFrom(await files.open(pathOf(id), "r"), start, end),
    delete: (id) => files.rm(pathOf(id), { force: true }),
  });
}

async function writeWhole(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

/** Returns a part of an open file, which is closed at its end. */
function readFrom(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const size = Math.min(CHUNK, end - at);
          const { bytesRead, buffer } = await file.read(new Uint8Array(size), 0, size, at);
          at += bytesRead;
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
          if (at < end && bytesRead > 0) return;
          await file.close();
          controller.close();
        } catch (error) {
          await file.close().catch(() => undefined);
          controller.error(error);
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}
