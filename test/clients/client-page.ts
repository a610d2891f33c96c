import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type { ServiceOptions } from "../../src/index.ts";
import { findBrowser, openBrowser, type Browser, type Page } from "../browser/browser.ts";
import { packageFile } from "./package-files.ts";
import { readGuide, writeModules } from "./read-guide.ts";
import { recordRequests, type SeenRequest } from "./recorded-requests.ts";
import { openShop, type Shop } from "./shop.ts";

/** A page that uses a client against the shop. */
export interface ClientPage {
  readonly shop: Shop;
  readonly page: Page;
  /** The requests to the service so far. */
  readonly requests: SeenRequest[];
  /** The methods, paths and bodies of the requests to the service so far, decoded. */
  readonly sent: string[];
  /** The errors in the console of the page, and its exceptions. */
  readonly complaints: string[];
  /** Calls a function of the script `pages/<name>.js`, and returns its result. */
  readonly run: (call: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The options of a page for one client. */
export interface ClientPageOptions {
  /** HTML before the script. */
  readonly head?: string;
  /** Opens the service, which is below `/odata`, with its option `cors`; the shop if absent. */
  readonly open?: (cors: ServiceOptions["cors"]) => Promise<Shop>;
  /** Whether the service has another origin than the page; absent: false. */
  readonly isCrossOrigin?: boolean;
  /** The folder of the script and its packages, relative to this one; this one if absent. */
  readonly folder?: string;
  /** The guide whose modules the script imports from `.generated`. */
  readonly guide?: string;
}

/**
 * Opens a page in the browser with the script `<name>.js`, which exports its functions. Its global `serviceRoot` is the
 * URL of the service, whose path is `/odata`.
 */
export async function openClientPage(
  name: string,
  {
    head = "",
    open = (cors) => openShop({ isPlain: false, cors }),
    isCrossOrigin = false,
    folder = ".",
    guide,
  }: ClientPageOptions,
): Promise<ClientPage> {
  if (guide !== undefined) await writeModules(await readGuide(guide, "js"), here(`${folder}/.generated`));
  const server = createServer();
  const origin = await listen(server);
  const services = isCrossOrigin ? createServer() : server;
  const serviceOrigin = isCrossOrigin ? await listen(services) : origin;
  const shop = await open(isCrossOrigin ? { origins: [origin] } : undefined);
  const requests: SeenRequest[] = [];
  const answer = recordRequests(shop.service, requests);
  services.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if ((request.url ?? "").startsWith("/odata")) answer(request, response);
  });
  const script = await bundled(here(`${folder}/${name}.js`));
  const files: Files = { script, head, serviceRoot: `${serviceOrigin}/odata` };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!(request.url ?? "").startsWith("/odata")) void answerFile(request, response, files);
  });
  const browser = await openBrowser(findBrowser() ?? "");
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const sent: string[] = [];
  page.on("request", (request) => {
    const body = request.postData();
    const path = decodeURIComponent(request.url().replaceAll("+", " ")).split("/odata/")[1];
    if (path !== undefined) sent.push(`${request.method()} ${path}${body === null ? "" : ` ${body}`}`);
  });
  await page.goto(`${origin}/`);
  return {
    shop,
    page,
    requests,
    sent,
    complaints,
    run: (call) => page.evaluate(`globalThis.client.then((client) => client.${call})`),
    close: () => closeAll(browser, new Set([server, services]), shop),
  };
}

/** Starts a server. Returns its origin. */
async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function closeAll(browser: Browser, servers: ReadonlySet<Server>, shop: Shop): Promise<void> {
  await browser.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await shop.close();
}

/** Returns a script with all modules that it imports. */
async function bundled(input: string): Promise<string> {
  const build = await rolldown({
    input,
    platform: "browser",
    // The library of Breeze for browsers is a script with a global.
    resolve: { alias: { "ts-odatajs": here("pages/odatajs-global.js") } },
    transform: { define: { "process.env.NODE_ENV": '"production"', global: "globalThis" } },
    checks: { bundlerTimings: false },
    logLevel: "silent",
  });
  try {
    const { output } = await build.generate({ format: "esm", codeSplitting: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}

interface Files {
  readonly script: string;
  readonly head: string;
  readonly serviceRoot: string;
}

async function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  { script, head, serviceRoot }: Files,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/") {
    const start = `globalThis.serviceRoot = "${serviceRoot}"; globalThis.client = import("/client.js")`;
    send(
      response,
      "text/html",
      `<!doctype html><meta charset="utf-8">${head}<script>${start}</script><div id="content"></div>`,
    );
    return;
  }
  if (pathname === "/client.js") {
    send(response, "text/javascript", script);
    return;
  }
  const file = packageFile(pathname);
  const bytes = file === null ? null : await readFile(file).catch(() => null);
  if (bytes === null) {
    // A build of UI5 makes themes, versions and texts, which the tests do not need.
    const isBuilt = /(?:\.css|\.properties|\.json|favicon\.ico)$/u.test(pathname);
    if (isBuilt) send(response, "text/plain", pathname.endsWith(".json") ? '{"libraries":[]}' : "");
    else response.writeHead(404).end();
    return;
  }
  const ending = /\.(?<ending>js|css)$/u.exec(pathname)?.groups?.["ending"] ?? "";
  send(response, ending === "" ? "application/octet-stream" : `text/${ending === "js" ? "javascript" : ending}`, bytes);
}

function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  response.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(body);
}
