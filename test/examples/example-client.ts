import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { ODataService } from "odatakit";

const ORIGIN = "http://example.example";

/** A response, without the address of the server in its text. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of any body
  readonly body: any;
}

/** Sends a request to a service below its prefix. @param headers of the request, besides those of a JSON body */
export async function send(
  service: ODataService,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  const init = { method, headers: { ...json, ...headers }, ...(body && { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`${ORIGIN}${service.prefix}/${path}`, init));
  const text = (await response.text()).replaceAll(ORIGIN, "");
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** How an example has ended as a program. */
interface Ended {
  /** The response to its request. */
  readonly status: number;
  readonly code: number | null;
  readonly stderr: string;
}

/**
 * Starts an example, waits for the address that it prints, sends a request, and ends it by SIGTERM.
 * @param database the DATABASE_URL of the program
 */
export async function runExample(
  program: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  database?: string,
): Promise<Ended> {
  const env: NodeJS.ProcessEnv = { ...process.env, PORT: "0" };
  if (database === undefined) delete env["DATABASE_URL"];
  else env["DATABASE_URL"] = database;
  const child = spawn(process.execPath, ["--conditions=source", program], { env });
  try {
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    let stdout = "";
    while (!stdout.includes("\n")) stdout += String((await once(child.stdout, "data"))[0]);
    const root = /http:\/\/[^/\s]+/u.exec(stdout)?.[0] ?? stdout;
    const { status } = await fetch(`${root}/${path}`, { headers });
    const closed = once(child, "close") as Promise<[number | null]>;
    child.kill("SIGTERM");
    const [code] = await closed;
    return { status, code, stderr };
  } finally {
    child.kill("SIGKILL");
  }
}
