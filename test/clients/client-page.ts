import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { findBrowser, openBrowser, type Browser, type Page } from "../browser/browser.ts";
import { packageFile } from "./package-files.ts";
import { recordRequests, type SeenRequest } from "./recorded-requests.ts";
import { openShop, type Shop } from "./shop.ts";

/** A page that uses a client against the shop. */
export interface ClientPage {
  readonly shop: Shop;
  readonly page: Page;
  /** The requests to the service so far. */
  readonly requests: SeenRequest[];
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
  /** Opens the service, which is below `/odata`; the shop if absent. */
  readonly open?: () => Promise<Shop>;
}

/**
 * Opens a page in the browser with the script `pages/<name>.js`, which exports its functions. The service is below `/odata`
 * of the same origin.
 */
export async function openClientPage(
  name: string,
  { head = "", open = () => openShop({ isPlain: false }) }: ClientPageOptions,
): Promise<ClientPage> {
  const shop = await open();
  const requests: SeenRequest[] = [];
  const answer = recordRequests(shop.service, requests);
  const script = await bundled(here(`pages/${name}.js`));
  const server = createServer((request, response) => {
    if ((request.url ?? "").startsWith("/odata")) {
      answer(request, response);
    } else {
      void answerFile(request, response, { script, head });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const browser = await openBrowser(findBrowser() ?? "");
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${origin}/`);
  return {
    shop,
    page,
    requests,
    complaints,
    run: (call) => page.evaluate(`globalThis.client.then((client) => client.${call})`),
    close: () => closeAll(browser, server, shop),
  };
}

async function closeAll(browser: Browser, server: Server, shop: Shop): Promise<void> {
  await browser.close();
  server.closeAllConnections();
  server.close();
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
}

async function answerFile(request: IncomingMessage, response: ServerResponse, { script, head }: Files): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/") {
    const start = `globalThis.client = import("/client.js")`;
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
