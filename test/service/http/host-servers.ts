import { createServer, type Server } from "node:http";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { servicesFetch, type ODataService } from "odatakit";
import { toExpressHandler } from "odatakit/express";
import { toFastifyPlugin } from "odatakit/fastify";
import { toHonoHandler } from "odatakit/hono";
import { toNodeHandler } from "odatakit/node";

/** Servers of the tests accept long URLs and headers, which Node.js would refuse before the service sees them. */
export const MAX_HEADERS = 8_000_000;

/** Paths of no service are those of the host: here they get the response of `toNodeHandler`. */
export function expressServer(service: ODataService): Server {
  const app = express().disable("x-powered-by");
  app.use(toExpressHandler(service));
  app.use(toNodeHandler(service));
  return createServer({ maxHeaderSize: MAX_HEADERS }, app);
}

export async function listenFastify(service: ODataService): Promise<Server> {
  const others = toNodeHandler(service);
  const app = Fastify({
    http: { maxHeaderSize: MAX_HEADERS },
    // Fastify refuses malformed percent-encoding before any plugin sees the request.
    frameworkErrors: (_error, request, reply) => others(request.raw, reply.hijack().raw),
  });
  app.setNotFoundHandler((request, reply) => others(request.raw, reply.hijack().raw));
  await app.register(toFastifyPlugin(service));
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server;
}

export function toHonoFetch(service: ODataService): (request: Request) => Response | Promise<Response> {
  const app = new Hono();
  app.use(toHonoHandler(service));
  const others = servicesFetch(service);
  app.notFound((context) => others(context.req.raw));
  return (request) => app.fetch(request);
}
