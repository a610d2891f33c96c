import { readdirSync, readlinkSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { peakMemory } from "./peak-memory.ts";

/** Messages from the parent process to a server. */
export type ServerRequest =
  | { readonly kind: "cpu" }
  /** Collects garbage first. */
  | { readonly kind: "state" }
  /** Starts the profiler, with so many microseconds between samples. */
  | { readonly kind: "startProfile"; readonly interval: number }
  /** Stops the profiler and requests its profile. */
  | { readonly kind: "stopProfile" }
  /** Closes the server. The process must end by itself. */
  | { readonly kind: "close" };

/** Messages from a server to its parent process. */
export type ServerMessage =
  | { readonly kind: "listening"; readonly port: number }
  /** CPU time, user and system, of all threads of the process since its start. */
  | { readonly kind: "cpu"; readonly microseconds: number }
  | { readonly kind: "state"; readonly state: ProcessState }
  | { readonly kind: "profiling" }
  | { readonly kind: "profile"; readonly profile: Profiler.Profile };

/** The resources of a process. Sizes are in bytes. */
export interface ProcessState {
  /** The memory of the whole process, threads included; and its maximum since the start. */
  readonly rss: number;
  readonly peakRss: number;
  /** The heap of the main thread, after a garbage collection; and the memory outside the heap that it refers to. */
  readonly heap: number;
  readonly external: number;
  /** The handles that keep the process alive, by kind. */
  readonly handles: Readonly<Record<string, number>>;
  /** Open file descriptors, by kind. */
  readonly files: Readonly<Record<string, number>>;
  /** The longest delay of the main thread since the previous message, in milliseconds. */
  readonly longestDelay: number;
  /** The errors that the server logged since the previous message. */
  readonly errors: readonly string[];
}

/** The functions of a server that its parent process calls. */
export interface ServerHooks {
  /** Takes the errors that were logged since the previous call. */
  readonly errors?: () => readonly string[];
  readonly close?: () => Promise<void>;
}

const session = new Session();
const delays = monitorEventLoopDelay({ resolution: 1 });

/** The database that a server uses, its only argument: a SQLite file, or the URL of a database on another server. */
export function databasePlace(): string {
  const [, , place] = process.argv;
  if (place === undefined) throw new Error("The bench starts this server, with the place of its database.");
  return place;
}

/** A response that a server sends as it is. */
export interface FixedAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response of our server to `$metadata`, which the bench passes as the second argument. */
export function metadataOfOurs(): FixedAnswer {
  const [, , , text] = process.argv;
  if (text === undefined) throw new Error("The bench starts this server, with the response to $metadata.");
  // Only the bench passes this argument.
  return JSON.parse(text) as FixedAnswer;
}

/** Sends the port to the parent process and replies to its messages. Ends with the parent. */
export function reportTo(port: number, hooks: ServerHooks = {}): void {
  process.on("message", (request) => {
    // Only the parent process of the bench sends these messages.
    void answer(request as ServerRequest, hooks).then((message) => {
      if (message !== null) send(message);
    });
  });
  process.on("disconnect", exit);
  delays.enable();
  send({ kind: "listening", port });
}

function exit(): void {
  process.exit();
}

async function answer(request: ServerRequest, hooks: ServerHooks): Promise<ServerMessage | null> {
  switch (request.kind) {
    case "cpu": {
      const { user, system } = process.cpuUsage();
      return { kind: "cpu", microseconds: user + system };
    }
    case "state":
      return { kind: "state", state: stateOf(hooks) };
    case "startProfile":
      session.connect();
      await session.post("Profiler.enable");
      await session.post("Profiler.setSamplingInterval", { interval: request.interval });
      await session.post("Profiler.start");
      return { kind: "profiling" };
    case "stopProfile": {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      return { kind: "profile", profile };
    }
    case "close":
      await hooks.close?.();
      delays.disable();
      // From here on nothing may keep the process alive.
      process.off("disconnect", exit);
      process.disconnect();
      return null;
  }
}

function stateOf({ errors = () => [] }: ServerHooks): ProcessState {
  const longestDelay = delays.max / 1e6;
  delays.reset();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    rss,
    peakRss: peakMemory(),
    heap: heapUsed,
    external,
    handles: countBy(process.getActiveResourcesInfo()),
    files: countBy(readdirSync("/proc/self/fd").map(kindOfFile)),
    longestDelay,
    errors: errors(),
  };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  // The flag adds the function to new contexts only.
  const collect = runInNewContext("gc") as () => void;
  collect();
}

function kindOfFile(descriptor: string): string {
  try {
    const target = readlinkSync(`/proc/self/fd/${descriptor}`);
    return target.startsWith("/") ? "file" : target.replace(/:.*/u, "");
  } catch {
    return "closed meanwhile";
  }
}

function countBy(kinds: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of kinds.toSorted()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function send(message: ServerMessage): void {
  process.send?.(message);
}
