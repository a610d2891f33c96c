import type { ODataService } from "odatakit";
import { explorerRoute, type ExplorerRouteOptions } from "odatakit/explorer";
import { serve, type RunningServer } from "odatakit/node";
import { afterAll, afterEach, beforeAll } from "vitest";
import { openBrowser, type Browser, type Page } from "../browser.ts";
import { hostileService } from "./hostile-service.ts";
import { explorerFolder } from "./made-once.ts";
import { openExplorer, type Explorer } from "./open-explorer.ts";

type Routes = readonly ReturnType<typeof explorerRoute>[];

/** Serves services to the tests of a block, each until its test ends, in one browser. */
export interface ServedExplorers {
  /** Returns the routes of a service with the explorer. */
  readonly routes: (options?: ExplorerRouteOptions) => Routes;
  /** Serves a service, and opens its explorer. @param prefix that of the service */
  readonly open: (service: ODataService, prefix: string, fragment: string) => Promise<Explorer>;
  /** Opens the explorer of the last service in another tab. */
  readonly openTab: (fragment: string) => Promise<Explorer>;
}

/** Opens a browser for the tests of a block. Call it in `describe`. */
export function servedExplorers(program: string | undefined): ServedExplorers {
  let browser: Browser;
  let folder: string;
  const servers: RunningServer[] = [];
  const pages: Page[] = [];
  beforeAll(async () => {
    folder = await explorerFolder();
    browser = await openBrowser(program ?? "");
  });
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  afterAll(() => browser.close());
  let root = "";
  const openTab = async (fragment: string): Promise<Explorer> => {
    const explorer = await openExplorer(browser, root, fragment);
    pages.push(explorer.page);
    return explorer;
  };
  return {
    openTab,
    routes: (options) => [explorerRoute({ folder, ...options })],
    open: async (service, prefix, fragment) => {
      const server = await serve(service, { port: 0 });
      servers.push(server);
      root = server.url + prefix;
      return openTab(fragment);
    },
  };
}

/** Opens the explorer of the hostile service for all tests of a block. Call it in `describe`; the result in tests. */
export function hostileExplorer(program: string | undefined): () => Explorer {
  let server: RunningServer;
  let browser: Browser;
  let explorer: Explorer;
  beforeAll(async () => {
    const routes = [explorerRoute({ folder: await explorerFolder() })];
    server = await serve(hostileService({ routes }), { port: 0 });
    browser = await openBrowser(program ?? "");
    explorer = await openExplorer(browser, `${server.url}/hostile`);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  return () => explorer;
}
