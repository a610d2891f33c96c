import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ODataResponse } from "../http/odata-response.ts";
import { composeServices, readyAll } from "../service/compose-services.ts";
import type { ODataService } from "../service/odata-service.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { fromIncomingMessage } from "./node-request.ts";
import { sendResponse } from "./node-response.ts";
import { type Listener, NodeServer, type RequestWay } from "./node-server.ts";
import { type ListenOptions, resolveServeOptions } from "./serve-options.ts";

/** Where `serve` listens, and how long its connections may take. @see docs/guides/deployment.md, Timeouts */
export type ServeOptions = ListenOptions;

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, such as `http://localhost:3000`; the prefix of a service comes behind it. */
  readonly url: string;
  readonly port: number;
  /**
   * Ends the server: it accepts no new connections, finishes every request that it has accepted, and ends idle
   * connections. Resolves when all connections are closed, after `drainTimeout` at the latest. Once is enough.
   */
  close(): Promise<void>;
}

/**
 * Makes a request listener for `node:http` (or `node:https`, or a framework that takes one) over one service or
 * several, each at its prefix. No Fetch objects are made on this path.
 * @throws ConfigurationError when two services have one prefix or one name, and on Node.js below 22.18
 */
export function toNodeHandler(
  services: ODataService | readonly ODataService[],
): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = toListener(services);
  return (request, response) => listener(request, response, ALONE);
}

/** The way of a request through a server that the application made. */
const ALONE: RequestWay = Object.freeze({ awaitsContinue: false, settle: () => undefined });

function toListener(services: ODataService | readonly ODataService[]): Listener {
  checkNodeVersion();
  const composed = composeServices(services);
  return (request, response, { awaitsContinue, settle }) => {
    const odata = fromIncomingMessage(request, response, awaitsContinue);
    const send = (answer: ODataResponse): void => {
      const fail = (error: unknown): void => {
        response.destroy();
        composed.reportFailure(odata, answer, error);
      };
      try {
        const sent = sendResponse(answer, response);
        if (sent !== undefined) sent.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const settleAndSend = (answer: ODataResponse): void => {
      const settled = settle();
      if (settled === undefined) send(answer);
      else void settled.then(() => send(answer));
    };
    const answer = composed.handle(odata);
    if (answer instanceof Promise) void answer.then(settleAndSend);
    else settleAndSend(answer);
  };
}

/**
 * Serves one service or several over HTTP.
 * @param services each is served at its prefix
 * @returns once the databases of the services are checked and the server listens
 * @throws ConfigurationError when two services have one prefix or one name, for options that cannot be, for databases
 * that differ from the declarations, and on Node.js below 22.18; Error when a database cannot be reached or the port is
 * taken
 */
export async function serve(
  services: ODataService | readonly ODataService[],
  options: ServeOptions = {},
): Promise<RunningServer> {
  const settings = resolveServeOptions(options);
  const { port, host } = settings;
  const server = new NodeServer(toListener(services), settings);
  await readyAll(services);
  await listen(server, port, host);
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${toUrlHost(host)}:${String(address.port)}`,
    port: address.port,
    close: () => (closing ??= server.drain()),
  };
}

function listen(server: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(explainListenError(error, port, host));
    });
    server.listen(port, host, resolve);
  });
}

function explainListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `Port ${String(port)} of ${host} is in use: stop the program that listens there, or serve on another port.`,
      { cause: error },
    );
  }
  if (error.code === "EACCES") {
    return new Error(`Port ${String(port)} of ${host} is not open to this user: choose a port above 1023.`, {
      cause: error,
    });
  }
  return error;
}

/** An address that listens everywhere is reached, from here, as localhost. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
