import { createRequire } from "node:module";
import { findProgram } from "../house/debian.ts";

/** A browser, as far as the tests use it: the types of its driver need those of browsers. */
export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** One page of a browser. */
export interface Page {
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "request", listener: (request: { url(): string }) => void): void;
  setContent(html: string): Promise<void>;
  goto(url: string): Promise<{ headers(): Readonly<Record<string, string>> } | null>;
  /** Writes a PNG, or returns its bytes. */
  screenshot(options: { readonly path?: string }): Promise<Uint8Array>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  title(): Promise<string>;
  locator(selector: string): Locator;
  /** Runs an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  close(): Promise<void>;
}

/** The elements that a selector finds. */
export interface Locator {
  first(): Locator;
  locator(selector: string): Locator;
  waitFor(): Promise<void>;
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  allInnerTexts(): Promise<readonly string[]>;
  innerText(): Promise<string>;
  /** Writes a PNG of the first element. */
  screenshot(options: { readonly path: string }): Promise<Uint8Array>;
}

interface Driver {
  readonly chromium: { launch(options: { readonly executablePath: string }): Promise<Browser> };
}

const require = createRequire(import.meta.url);

/** The path of the browser that is installed; undefined without one. Nothing is downloaded. */
export function findBrowser(): string | undefined {
  return findProgram("chromium");
}

/** Starts a browser without a window. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  const { chromium } = require("playwright-core") as Driver;
  return chromium.launch({ executablePath });
}
