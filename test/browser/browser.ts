import { createRequire } from "node:module";
import { findProgram } from "../house/debian.ts";

/** A browser, as far as the tests use it: the types of its driver need those of browsers. */
export interface Browser {
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

/** The initial settings of a page. */
export interface PageOptions {
  readonly viewport?: Size;
  readonly locale?: string;
  readonly deviceScaleFactor?: number;
  /** The time zone of the machine, such as `Pacific/Auckland`. */
  readonly timezoneId?: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Settings of the system that a page sees. */
export interface Media {
  readonly colorScheme?: "light" | "dark" | null;
  readonly forcedColors?: "active" | "none" | null;
  readonly reducedMotion?: "reduce" | "no-preference" | null;
}

/** One page of a browser. */
export interface Page {
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request", listener: (request: BrowserRequest) => void): void;
  /** Without a listener, the driver dismisses dialogs of the browser. */
  on(event: "dialog", listener: (dialog: BrowserDialog) => void): void;
  setContent(html: string): Promise<void>;
  goto(url: string): Promise<{ headers(): Readonly<Record<string, string>> } | null>;
  reload(): Promise<unknown>;
  /** Writes a PNG, or returns its bytes. */
  screenshot(options: { readonly path?: string }): Promise<Uint8Array>;
  setViewportSize(size: Size): Promise<void>;
  emulateMedia(media: Media): Promise<void>;
  /** Runs a script in each document before its own. */
  addInitScript(script: { readonly content: string }): Promise<void>;
  /** Makes a function of the page. */
  exposeFunction(name: string, call: (text: string) => void): Promise<void>;
  context(): {
    setOffline(isOffline: boolean): Promise<void>;
    /** Opens the protocol of the developer tools. */
    newCDPSession(page: Page): Promise<Tools>;
  };
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  readonly mouse: { move(x: number, y: number): Promise<void>; down(): Promise<void>; up(): Promise<void> };
  title(): Promise<string>;
  /** Answers requests in place of the server. */
  route(url: string, answer: (route: Route) => Promise<void>): Promise<void>;
  locator(selector: string): Locator;
  /** Runs an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A dialog of the browser, such as that of `beforeunload`. */
export interface BrowserDialog {
  type(): string;
  message(): string;
  accept(): Promise<void>;
  dismiss(): Promise<void>;
}

/** A request that a test answers, or lets through. */
export interface Route {
  continue(): Promise<void>;
  fulfill(answer: { readonly status?: number; readonly contentType?: string; readonly body: string }): Promise<void>;
}

/** A request of a page. */
export interface BrowserRequest {
  url(): string;
  method(): string;
  /** The body; null without one. */
  postData(): string | null;
}

/** The elements that a selector finds. */
export interface Locator {
  first(): Locator;
  nth(index: number): Locator;
  locator(selector: string): Locator;
  waitFor(): Promise<void>;
  click(): Promise<void>;
  dblclick(): Promise<void>;
  press(key: string): Promise<void>;
  fill(text: string): Promise<void>;
  /** Chooses a value of a list. */
  selectOption(value: string): Promise<unknown>;
  allInnerTexts(): Promise<readonly string[]>;
  innerText(): Promise<string>;
  /** The value of a field of a form. */
  inputValue(): Promise<string>;
  count(): Promise<number>;
  getAttribute(name: string): Promise<string | null>;
  /** Writes a PNG of the first element. */
  screenshot(options: { readonly path: string }): Promise<Uint8Array>;
}

/** The protocol of the developer tools, as far as the tests use it. */
interface Tools {
  send(method: "Performance.enable"): Promise<unknown>;
  send(
    method: "Performance.getMetrics",
  ): Promise<{ readonly metrics: ReadonlyArray<{ readonly name: string; readonly value: number }> }>;
}

interface DriverPage extends Page {
  setDefaultTimeout(milliseconds: number): void;
}

interface DriverBrowser {
  newPage(options?: PageOptions): Promise<DriverPage>;
  close(): Promise<void>;
}

interface Driver {
  readonly chromium: {
    launch(options: { readonly executablePath: string; readonly timeout: number }): Promise<DriverBrowser>;
  };
}

/** Milliseconds that the browser has for its start, and for each action of a page. A loaded machine must not decide. */
const MOST_MILLISECONDS = 120_000;

const require = createRequire(import.meta.url);

/** The path of the browser that is installed; undefined without one. Nothing is downloaded. */
export function findBrowser(): string | undefined {
  return findProgram("chromium");
}

/** The seconds for which the scripts and the layout of a page have used a processor: other programs do not count. */
export async function processorSeconds(page: Page): Promise<number> {
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable");
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "ThreadTime")?.value ?? Number.NaN;
}

/** Starts a browser without a window. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const { chromium } = require("playwright-core") as Driver;
  const browser = await chromium.launch({ executablePath, timeout: MOST_MILLISECONDS });
  return {
    newPage: async (options) => {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(MOST_MILLISECONDS);
      return page;
    },
    close: () => browser.close(),
  };
}
