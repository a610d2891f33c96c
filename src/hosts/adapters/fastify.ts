import { Readable } from "node:stream";
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify";
import { ConfigurationError } from "../../base/errors/configuration-error.ts";
import { mergeVary } from "../../http/headers.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import type { ODataResponse } from "../../http/odata-response.ts";
import { malformedType } from "../../http/read-json-body.ts";
import {
  type ComposedServices,
  composeServices,
  readyAll,
  matchedPath,
  mountPathOf,
} from "../../service/compose-services.ts";
import type { ODataService } from "../../service/odata-service.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { fromIncomingMessage, targetOf } from "./node-request.ts";
import { discardRest, isArriving, toStream } from "./node-response.ts";

/**
 * Creates a plugin of Fastify over one service or several: `app.register(toFastifyPlugin(service))`. With the option `prefix`
 * of `register`, each service is served at that path and its prefix. The plugin has its own scope, in which Fastify parses no
 * bodies; hooks of the application run as for its own routes. `app.ready()` awaits the checks of the databases.
 * @throws ConfigurationError if two services share a prefix or a name, and on Node.js below 22.18
 * @see docs/guides/hosts.md, Fastify
 */
export function toFastifyPlugin(services: ODataService | readonly ODataService[]): FastifyPluginCallback {
  checkNodeVersion();
  const composed = composeServices(services);
  return (instance, _options, done) => {
    if (instance.initialConfig.http2 === true) return done(noHttp2());
    instance.removeAllContentTypeParsers();
    // The service reads the body itself, within its own limits.
    instance.addContentTypeParser("*", (_request, payload, parsed) => {
      // A stream of a hook may fail where no body is read. Without a listener its error would end the process.
      parsed(null, payload.on("error", ignore));
    });
    instance.addHook("onReady", () => readyAll(services));
    const pattern = instance.prefix.replace(/\/+$/, "");
    const handler = (request: FastifyRequest, reply: FastifyReply): unknown =>
      answer(composed, pattern, request, reply);
    const unroutable = composed.prefixes.find((prefix) => prefix.includes("*"));
    if (unroutable !== undefined) return done(noWildcard(unroutable));
    for (const prefix of composed.prefixes) {
      const path = mountPathOf(pattern, prefix) + prefix;
      instance.register(
        (scope, _none, registered) => {
          addRoutes(scope, handler);
          scope.setErrorHandler((error, request, reply) => answerMediaType(composed, pattern, error, request, reply));
          registered();
        },
        // A single colon begins a parameter of Fastify.
        { prefix: path.slice(pattern.length).replaceAll(":", "::") },
      );
    }
    done();
  };
}

/** The messages of HTTP/2 in Node.js have no headers and no bodies in the form of those of HTTP/1.1. */
function noHttp2(): ConfigurationError {
  return new ConfigurationError([
    {
      message: "`http2` of Fastify is not supported: toFastifyPlugin reads requests of HTTP/1.1.",
      fix: "Leave out `http2`, and let the reverse proxy speak HTTP/2; or pass toNodeHandler to a server of `node:http2`.",
    },
  ]);
}

function noWildcard(prefix: string): ConfigurationError {
  return new ConfigurationError([
    {
      message: `Fastify cannot serve the prefix ${JSON.stringify(prefix)}: an asterisk in a path matches any text.`,
      fix: "Choose a prefix without an asterisk.",
    },
  ]);
}

/** Adds routes for all methods. Methods that Fastify does not know reach the handler for paths that are not found. */
function addRoutes(scope: FastifyInstance, handler: (request: FastifyRequest, reply: FastifyReply) => unknown): void {
  const method = scope.supportedMethods;
  const isRoot = scope.prefix === "";
  for (const url of isRoot ? ["/", "/*"] : ["", "/*"]) scope.route({ method, url, handler });
  // The handler of the root belongs to the application.
  if (!isRoot) scope.setNotFoundHandler(handler);
}

/**
 * Responds to a request whose Content-Type Fastify cannot read, with the error of the service.
 * @throws any other error, for the error handler of the application
 */
function answerMediaType(
  composed: ComposedServices,
  pattern: string,
  fault: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): unknown {
  if (!(fault instanceof Error && "code" in fault && fault.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")) throw fault;
  const { odata } = mountedRequest(composed, pattern, request, reply);
  return send(composed.refuse(odata, malformedType()), reply, ignore);
}

async function answer(
  composed: ComposedServices,
  pattern: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { service, odata } = mountedRequest(composed, pattern, request, reply);
  const response = await service.handle(odata);
  return send(response, reply, (error) => composed.reportFailure(odata, response, error));
}

/** A request, and the service that it belongs to. */
interface MountedRequest {
  readonly service: Pick<ODataService, "handle">;
  readonly odata: ODataRequest;
}

/** Finds the service of a request. @param pattern the path at which the application registered the plugin */
function mountedRequest(
  composed: ComposedServices,
  pattern: string,
  request: FastifyRequest,
  reply: FastifyReply,
): MountedRequest {
  const url = targetOf(request.raw.url ?? "/");
  const mounted = composed.find(url, matchedPath(url, pattern));
  // Fastify compares decoded paths, and ignores letter case if the application says so: such a path is 404.
  const { service, mountPath } = mounted ?? { service: composed, mountPath: "" };
  const odata = fromIncomingMessage(request.raw, reply.raw, {
    target: url.slice(mountPath.length),
    mountPath,
    hostRequest: request,
    payload: request.body as AsyncIterable<Uint8Array> | undefined,
  });
  return { service, odata };
}

/** Passes a response through the hooks of the application. */
function send({ status, headers, body }: ODataResponse, reply: FastifyReply, fail: (error: unknown) => void): unknown {
  const vary = reply.getHeader("vary");
  reply.code(status).headers(headers);
  if (vary !== undefined) reply.header("vary", mergeVary(String(vary), headers["Vary"]));
  if (body === null) return reply.send();
  if (typeof body === "string" || body instanceof Uint8Array) {
    // Fastify adds a charset to the type of a text.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    // The rest of a body that a stream store has given up is not read. A hook reads the body of its own stream.
    const { raw, body: payload } = reply.request;
    const isLeft = status >= 400 && payload === raw && raw.readableDidRead;
    return status === 413 || isLeft ? sendRefusal(bytes, reply) : reply.send(bytes);
  }
  const stream = toStream(body).once("error", (error) => {
    // The reads of a client that has left are aborted.
    if (!reply.raw.destroyed) fail(error);
  });
  return reply.send(stream);
}

/**
 * Sends the response to a request whose body is too large. If the client is still sending, the connection closes when it has
 * had time to read the response.
 */
function sendRefusal(bytes: Uint8Array, reply: FastifyReply): unknown {
  const { raw } = reply.request;
  const discarded = discardRest(raw);
  if (!isArriving(raw)) return reply.send(bytes);
  reply.header("connection", "close").header("content-length", bytes.length);
  const body = async function* (): AsyncGenerator<Uint8Array, void, void> {
    yield bytes;
    await discarded;
  };
  return reply.send(Readable.from(body(), { objectMode: false }));
}

function ignore(): void {
  // The service reports an error of the stream if it reads the body.
}
