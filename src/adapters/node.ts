import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ODataResponse } from "../http/odata-response.ts";
import { composeServices, readyAll } from "../service/compose-services.ts";
import type { ODataService } from "../service/odata-service.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { answerClientError } from "./node-client-error.ts";
import { fromIncomingMessage } from "./node-request.ts";
import { sendResponse } from "./node-response.ts";

/** Where `serve` listens. */
export interface ServeOptions {
  /** TCP port; 0 lets the system choose one. Default 3000. */
  readonly port?: number;
  /** Host name or address to listen on. Default `localhost`: reachable from this machine only. */
  readonly host?: string;
}

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, such as `http://localhost:3000`; the prefix of a service comes behind it. */
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, lets those under way end, closes idle connections; done when all is closed. Once is enough. */
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
  return (request, response) => listener(request, response, false);
}

/** Answers a request; `awaitsContinue` tells that the client waits for `100 Continue`. */
type Listener = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => void;

function toListener(services: ODataService | readonly ODataService[]): Listener {
  checkNodeVersion();
  const composed = composeServices(services);
  return (request, response, awaitsContinue) => {
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
    const answer = composed.handle(odata);
    if (answer instanceof Promise) void answer.then(send);
    else send(answer);
  };
}

/**
 * Serves one service or several over HTTP.
 * @param services each is served at its prefix
 * @returns once the databases of the services are checked and the server listens
 * @throws ConfigurationError when two services have one prefix or one name, for databases that differ from the
 * declarations, and on Node.js below 22.18; Error when a database cannot be reached or the port is taken
 */
export async function serve(
  services: ODataService | readonly ODataService[],
  options: ServeOptions = {},
): Promise<RunningServer> {
  const { port = 3000, host = "localhost" } = options;
  const listener = toListener(services);
  await readyAll(services);
  const server = createListeningServer(listener);
  await listen(server, port, host);
  const address = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${toUrlHost(host)}:${String(address.port)}`,
    port: address.port,
    close: () => (closing ??= close(server)),
  };
}

/** A server that leaves no answer to `node:http` itself, which knows neither OData-Version nor the envelope. */
function createListeningServer(listener: Listener): Server {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const answer = (request: IncomingMessage, response: ServerResponse, awaitsContinue = false): void => {
    answers.set(request.socket, response);
    listener(request, response, awaitsContinue);
  };
  const server = createServer({ requireHostHeader: false }, (request, response) => answer(request, response));
  // An expectation that is not known may be ignored. @see RFC 9110, section 10.1.1
  server.on("checkExpectation", (request, response) => answer(request, response));
  // The body is asked for when it is read: one that is refused by its headers need not be sent.
  server.on("checkContinue", (request, response) => answer(request, response, true));
  server.on("clientError", (error, socket) => answerClientError(error, socket, answers.get(socket)));
  return server;
}

function listen(server: Server, port: number, host: string): Promise<void> {
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

/** How often a closing server looks for connections that have become idle, in milliseconds. */
const IDLE_CHECK_INTERVAL = 50;

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    // A connection that answers its last request now would otherwise be kept alive for some seconds more.
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL);
    server.close((error) => {
      clearInterval(idle);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
