import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { ODataResponse } from "../http/odata-response.ts";
import { composeServices, readyAll } from "../service/compose-services.ts";
import type { ODataService } from "../service/odata-service.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { hostServices, type RequestHandler } from "./hosted-services.ts";
import { toStreamListener } from "./http2-listener.ts";
import { fromIncomingMessage } from "./node-request.ts";
import { sendOrFail } from "./node-response.ts";
import { type Listener, NodeServer } from "./node-server.ts";
import { type ListenOptions, resolveServeOptions } from "./serve-options.ts";

/** Where `serve` listens, and how long its connections may take. @see docs/guides/deployment.md, Timeouts */
export type ServeOptions = ListenOptions;

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, such as `http://localhost:3000`. The prefix of a service follows. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops the server after `drainDelay`. It accepts no new connections, finishes pending requests and closes idle connections.
   * Resolves when all connections are closed, after another `drainTimeout` at the latest. Further calls return the same promise.
   */
  close(): Promise<void>;
}

/**
 * Creates a request listener for `node:http`, `node:https`, `node:http2` or a framework, over one service or several. Each
 * service is served at its prefix. The listener creates no Fetch objects.
 * @throws ConfigurationError if two services share a prefix or a name, and on Node.js below 22.18
 */
export function toNodeHandler(
  services: ODataService | readonly ODataService[],
): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  checkNodeVersion();
  const composed = composeServices(services);
  const listener = toListener(composed);
  const streamListener = toStreamListener(composed);
  return (request, response) => {
    // The messages of HTTP/2 only resemble those of HTTP/1.1: the service reads and answers their stream.
    if ("stream" in request) streamListener(request.stream, request.headers, request);
    else listener(request, response as ServerResponse, false);
  };
}

function toListener(composed: RequestHandler): Listener {
  return (request, response, awaitsContinue) => {
    const odata = fromIncomingMessage(request, response, { awaitsContinue });
    const fail = (error: unknown, answer: ODataResponse): void => {
      response.destroy();
      composed.reportFailure(odata, answer, error);
    };
    const answer = composed.handle(odata);
    if (answer instanceof Promise) void answer.then((known) => sendOrFail(known, response, fail));
    else sendOrFail(answer, response, fail);
  };
}

/**
 * Serves one service or several over HTTP.
 * @param services each is served at its prefix
 * @returns a promise that resolves when the databases of the services are checked and the server listens
 * @throws ConfigurationError if two services share a prefix or a name, if options are invalid, if a database differs from the
 * declarations, and on Node.js below 22.18; Error if a database cannot be reached or the port is in use
 */
export async function serve(
  services: ODataService | readonly ODataService[],
  options: ServeOptions = {},
): Promise<RunningServer> {
  const settings = resolveServeOptions(options);
  const { port, host } = settings;
  checkNodeVersion();
  const hosted = hostServices(services, settings);
  const server = new NodeServer({ http1: toListener(hosted), http2: toStreamListener(hosted) }, settings);
  await readyAll(services);
  const address = await server.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw explainListenError(error, port, host);
  });
  let closing: Promise<void> | undefined;
  return {
    url: `${settings.tls === null ? "http" : "https"}://${toUrlHost(host)}:${String(address.port)}`,
    port: address.port,
    close: () => {
      hosted.drain();
      return (closing ??= server.drain());
    },
  };
}

function explainListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `Port ${String(port)} of ${host} is in use. Stop the program that listens there, or use another port.`,
      { cause: error },
    );
  }
  if (error.code === "EACCES") {
    return new Error(`Port ${String(port)} of ${host} requires privileges. Use a port above 1023.`, {
      cause: error,
    });
  }
  return error;
}

/** A server that listens on all addresses is reached as localhost. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
