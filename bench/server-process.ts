import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Profiler } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import { watchBackends, type Backends } from "./postgres-backends.ts";
import type { ProcessState, ServerMessage, ServerRequest } from "./server-messages.ts";

/** A server under measurement, in its own process. */
export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** CPU time used since the start, in microseconds. */
  cpu(): Promise<CpuTime>;
  /** Returns the memory and handles of the process after a garbage collection. */
  state(): Promise<ProcessState>;
  /**
   * Profiles the process during `run`.
   * @param interval between samples, in microseconds
   */
  profile(interval: number, run: () => Promise<unknown>): Promise<Profiler.Profile>;
  /** Closes the server. @returns the exit code of the process, null if it had to be killed */
  close(): Promise<number | null>;
}

/** CPU time in microseconds. */
export interface CpuTime {
  /** Of the process. */
  readonly server: number;
  /** Of the processes of PostgreSQL that work for it. SQLite runs in the process itself. */
  readonly backend: number;
}

/** The SQLite file that a server reads, or the URL of a database; and the response to `$metadata`, for a limit server. */
export type ServerArguments = readonly [database: string] | readonly [database: string, metadata: string];

/** Without these arguments of Node.js, `odatakit` is the built package in `dist`. */
const FROM_SOURCE: readonly string[] = ["--conditions=source"];
/** Milliseconds for a process to end after its server was closed: connections drain for 10 seconds at most. */
const MOST_TO_END = 20_000;

/**
 * Runs a server during `use`.
 * @param file the module to run, in the folder of this one
 */
export async function withServer(
  name: string,
  file: string,
  args: ServerArguments,
  use: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const server = await startServer(name, file, args);
  try {
    await use(server.process);
  } finally {
    await server.end();
  }
}

/** A started server, and its end without a delay. */
export interface StartedServer {
  readonly process: ServerProcess;
  readonly end: () => Promise<void>;
}

/**
 * Starts a server.
 * @param conditions arguments of Node.js: none for the built package
 * @see withServer
 */
export async function startServer(
  name: string,
  file: string,
  args: ServerArguments,
  conditions: readonly string[] = FROM_SOURCE,
): Promise<StartedServer> {
  const module = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(module, args, { execArgv: [...conditions] });
  const exited = once(child, "exit");
  const backends = await watchBackends(args[0]);
  const end = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await exited;
    await backends.close();
  };
  try {
    return { process: await toServerProcess(name, child, exited, backends), end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function toServerProcess(
  name: string,
  child: ChildProcess,
  exited: Promise<unknown>,
  backends: Backends,
): Promise<ServerProcess> {
  const { port } = expectKind(await nextMessage(child, name), "listening");
  const request = (message: ServerRequest): Promise<ServerMessage> => {
    const answer = nextMessage(child, name);
    child.send(message);
    return answer;
  };
  return {
    name,
    port,
    pid: child.pid ?? 0,
    cpu: async () => ({
      server: expectKind(await request({ kind: "cpu" }), "cpu").microseconds,
      backend: await backends.cpu(),
    }),
    state: async () => expectKind(await request({ kind: "state" }), "state").state,
    profile: async (interval, run) => {
      expectKind(await request({ kind: "startProfile", interval }), "profiling");
      await run();
      return expectKind(await request({ kind: "stopProfile" }), "profile").profile;
    },
    close: async () => {
      child.send({ kind: "close" } satisfies ServerRequest);
      const watchdog = setTimeout(() => child.kill("SIGKILL"), MOST_TO_END);
      await exited;
      clearTimeout(watchdog);
      return child.exitCode;
    },
  };
}

/** Returns the next message of a process. @throws Error when the process ends first */
function nextMessage(child: ChildProcess, name: string): Promise<ServerMessage> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      child.off("message", onMessage);
      reject(new Error(`The server ${name} ended with exit code ${String(code)}.`));
    };
    const onMessage = (message: unknown): void => {
      child.off("exit", onExit);
      // Only reportTo sends these messages.
      resolve(message as ServerMessage);
    };
    child.once("exit", onExit);
    child.once("message", onMessage);
  });
}

function expectKind<K extends ServerMessage["kind"]>(
  message: ServerMessage,
  kind: K,
): Extract<ServerMessage, { kind: K }> {
  if (isOfKind(message, kind)) return message;
  throw new Error(`A server answered ${message.kind} where ${kind} is expected.`);
}

function isOfKind<K extends ServerMessage["kind"]>(
  message: ServerMessage,
  kind: K,
): message is Extract<ServerMessage, { kind: K }> {
  return message.kind === kind;
}
