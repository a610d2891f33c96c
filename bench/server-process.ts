import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Profiler } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import type { ServerMessage, ServerRequest } from "./server-messages.ts";

/** A server under measurement, in its own process. */
export interface ServerProcess {
  readonly name: string;
  readonly port: number;
  /** CPU time that the process has used since its start, in microseconds. */
  cpu(): Promise<number>;
  /**
   * Profiles the process during `run`.
   * @param interval between samples, in microseconds
   */
  profile(interval: number, run: () => Promise<unknown>): Promise<Profiler.Profile>;
}

/**
 * Runs a server during `use`.
 * @param file the module to run, in the folder of this one
 * @param database the SQLite file that it reads
 */
export async function withServer(
  name: string,
  file: string,
  database: string,
  use: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const module = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(module, [database], { execArgv: ["--conditions=source"] });
  const exited = once(child, "exit");
  try {
    await use(await toServerProcess(name, child));
  } finally {
    if (child.connected) child.disconnect();
    await exited;
  }
}

async function toServerProcess(name: string, child: ChildProcess): Promise<ServerProcess> {
  const { port } = expectKind(await nextMessage(child, name), "listening");
  const request = (message: ServerRequest): Promise<ServerMessage> => {
    const answer = nextMessage(child, name);
    child.send(message);
    return answer;
  };
  return {
    name,
    port,
    cpu: async () => expectKind(await request({ kind: "cpu" }), "cpu").microseconds,
    profile: async (interval, run) => {
      expectKind(await request({ kind: "startProfile", interval }), "profiling");
      await run();
      return expectKind(await request({ kind: "stopProfile" }), "profile").profile;
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
