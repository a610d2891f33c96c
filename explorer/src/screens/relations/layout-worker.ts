import { type Layout, layOut, type Line } from "./layout.ts";

/** Lays out as `layOut` does, but in a worker: of many lines it takes seconds, in which the page answers. */
export function layOutApart(ids: readonly string[], lines: readonly Line[], signal: AbortSignal): Promise<Layout> {
  const worker = new Worker(import.meta.url, { type: "module" });
  const made = new Promise<Layout>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<Layout>) => resolve(data));
    worker.addEventListener("error", ({ message }) => reject(new Error(`The layout failed: ${message}`)));
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    worker.postMessage([ids, lines]);
  });
  return made.finally(() => worker.terminate());
}

// This file is also the code of the worker.
if ("WorkerGlobalScope" in globalThis) {
  addEventListener("message", ({ data: [ids, lines] }: MessageEvent<[string[], Line[]]>) =>
    postMessage(layOut(ids, lines)),
  );
}
