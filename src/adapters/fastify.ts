import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { malformedType } from "../http/content-headers.ts";
import { mergeVary } from "../http/headers.ts";
import type { ODataResponse } from "../http/odata-response.ts";
import { type ComposedServices, composeServices, readyAll } from "../service/compose-services.ts";
import { matchedPath, mountPathOf } from "../service/mount-path.ts";
import type { ODataService } from "../service/odata-service.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { fromIncomingMessage, targetOf } from "./node-request.ts";

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
    instance.addContentTypeParser("*", (_request, payload, parsed) => parsed(null, payload));
    instance.addHook("onReady", () => readyAll(services));
    const pattern = instance.prefix.replace(/\/+$/, "");
    const handler = (request: FastifyRequest, reply: FastifyReply): unknown =>
      answer(composed, pattern, request, reply);
    for (const prefix of composed.prefixes) {
      const path = mountPathOf(pattern, prefix) + prefix;
      instance.register(
        (scope, _none, registered) => {
          addRoutes(scope, handler);
          scope.setErrorHandler((error, request, reply) => answerMediaType(composed, error, request, reply));
          registered();
        },
        { prefix: path.slice(pattern.length) },
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
      fix: "Leave out `http2`, and let the reverse proxy speak HTTP/2; or use serve with `tls`.",
    },
  ]);
}

/** Adds routes for all methods: those that Fastify does not know reach the handler for paths that are not found. */
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
  fault: unknown,
  { raw }: FastifyRequest,
  reply: FastifyReply,
): unknown {
  if (!(fault instanceof Error && "code" in fault && fault.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")) throw fault;
  const request = fromIncomingMessage(raw, reply.raw);
  const response = composed.refuse(request, malformedType());
  return send(response, reply, (error) => composed.reportFailure(request, response, error));
}

async function answer(
  composed: ComposedServices,
  pattern: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
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
  const response = await service.handle(odata);
  return send(response, reply, (error) => composed.reportFailure(odata, response, error));
}

/** Passes a response through the hooks of the application. */
function send({ status, headers, body }: ODataResponse, reply: FastifyReply, fail: (error: unknown) => void): unknown {
  const vary = reply.getHeader("vary");
  reply.code(status).headers(headers);
  if (vary !== undefined) reply.header("vary", mergeVary(String(vary), headers["Vary"]));
  if (status === 413 && !reply.request.raw.complete) {
    reply.header("connection", "close");
    reply.request.raw.resume();
  }
  if (body === null) return reply.send();
  // Fastify adds a charset to the type of a text.
  if (typeof body === "string") return reply.send(Buffer.from(body));
  if (body instanceof Uint8Array) return reply.send(body);
  return reply.send(Readable.from(inTurns(body, reply, fail), { objectMode: false }));
}

/** Lets other requests run after each chunk. Reports a failure, unless the client has gone. */
function inTurns(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  reply: FastifyReply,
  fail: (error: unknown) => void,
): AsyncIterable<string | Uint8Array> {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const next = await iterator.next();
          await nextTurn();
          return next;
        } catch (error) {
          if (!reply.raw.destroyed) fail(error);
          throw error;
        }
      },
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}
