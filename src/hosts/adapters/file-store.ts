import type { FileHandle } from "node:fs/promises";
import type { ByteRange, StoredBytes, StreamStore } from "../../edm/stream-property.ts";

/** The bytes that are read at once. */
const CHUNK = 65_536;
const ID = /^[\da-f]{32}$/u;
const PART = ".part";
/** The time in milliseconds after which an unfinished file is left by a process that has ended. */
const LEFT = 86_400_000;

/** The modules of Node.js, loaded when a store is made. @see docs/decisions/0037-fast-start.md */
function modules() {
  return {
    files: process.getBuiltinModule("node:fs/promises"),
    path: process.getBuiltinModule("node:path"),
    crypto: process.getBuiltinModule("node:crypto"),
  };
}

/** The store of `fileStore`. @see docs/guides/streams.md, Files */
export class FileStore implements StreamStore {
  readonly #root: string;
  readonly #node: ReturnType<typeof modules> = modules();

  constructor(directory: string) {
    this.#root = this.#node.path.resolve(directory);
  }

  async write(bytes: ReadableStream<Uint8Array>): Promise<StoredBytes> {
    const { files, path, crypto } = this.#node;
    const id = crypto.randomBytes(16).toString("hex");
    const whole = this.#pathOf(id);
    const part = whole + PART;
    const folder = path.dirname(whole);
    await this.#makeFolder(folder);
    try {
      const written = await this.#writePart(part, bytes);
      await files.rename(part, whole);
      await this.#flushFolder(folder);
      return { id, ...written };
    } catch (error) {
      for (const left of [part, whole]) await files.rm(left, { force: true });
      throw error;
    }
  }

  async read(id: string, { start, end }: ByteRange): Promise<ReadableStream<Uint8Array>> {
    return readFrom(await this.#node.files.open(this.#pathOf(id), "r"), start, end);
  }

  async delete(id: string): Promise<void> {
    await this.#node.files.rm(this.#pathOf(id), { force: true });
  }

  /** Returns the path of a file. @throws Error for an id of another store */
  #pathOf(id: string): string {
    if (!ID.test(id)) throw new Error("The id of a stream is none of this store.");
    return this.#node.path.join(this.#root, id.slice(0, 2), id);
  }

  /** Makes a folder of files, once. Removes what a process left there that ended while it wrote. */
  async #makeFolder(folder: string): Promise<void> {
    const { files, path } = this.#node;
    if ((await files.mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) {
      return this.#flushFolder(this.#root);
    }
    for (const name of await files.readdir(folder)) {
      if (!name.endsWith(PART)) continue;
      const left = path.join(folder, name);
      const { mtimeMs } = await files.stat(left).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > LEFT) await files.rm(left, { force: true });
    }
  }

  async #writePart(part: string, bytes: ReadableStream<Uint8Array>): Promise<Pick<StoredBytes, "length" | "etag">> {
    const hash = this.#node.crypto.createHash("sha256");
    let length = 0;
    const reader = bytes.getReader();
    try {
      const file = await this.#node.files.open(part, "wx", 0o600);
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          hash.update(next.value);
          length += next.value.length;
          await writeWhole(file, next.value);
        }
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      void reader.cancel(error).catch(() => undefined);
      throw error;
    }
    return { length, etag: hash.digest("base64url") };
  }

  /** Makes the names in a folder lasting. Windows has no way to do it. */
  async #flushFolder(folder: string): Promise<void> {
    if (process.platform === "win32") return;
    const handle = await this.#node.files.open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
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
