import { type Agent, request as send } from "node:http";

/** Headers of every request to either server: both servers write the same links. */
export const HOST = "bench.example";

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The parts of a request besides its target. Without them, the request is a `GET`. */
export interface Asked {
  readonly method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The connections to use. */
  readonly agent?: Agent;
}

/** Sends one request to a server on this machine. */
export function ask(port: number, path: string, { method, headers, body, agent }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: "127.0.0.1",
        port,
        path,
        method: method ?? "GET",
        headers: { host: HOST, ...headers },
        ...(agent === undefined ? {} : { agent }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const headers = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
          resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
