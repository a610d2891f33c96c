import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The packages of UI5, whose modules share one tree of names. */
const UI5 = ["sap.ui.core", "sap.m", "sap.ui.table", "sap.ui.layout", "sap.ui.unified", "themelib_sap_horizon"];

/** The folders of the other packages. */
const PACKAGES = ["node_modules", "licensed/node_modules"];

/**
 * Finds a file of the installed packages by the path of its URL: a module of UI5 below `/resources/`, any other file below
 * `/packages/`. Returns null for other paths.
 */
export function packageFile(path: string): string | null {
  if (path.includes("..")) return null;
  const folders = path.startsWith("/resources/") ? UI5.map((name) => `node_modules/@openui5/${name}/src`) : PACKAGES;
  const name = /^\/(?:resources|packages)\/(.+)$/u.exec(path)?.[1];
  const found = folders.map((folder) => new URL(`${folder}/${name ?? ""}`, import.meta.url));
  const file = name === undefined ? undefined : found.find((each) => existsSync(each));
  return file === undefined ? null : fileURLToPath(file);
}

/** Starts UI5 in a page. */
export const UI5_HEAD: string =
  '<script id="sap-ui-bootstrap" src="/resources/sap-ui-core.js" data-sap-ui-async="true" data-sap-ui-libs="sap.m" data-sap-ui-theme="base" data-sap-ui-compat-version="edge"></script>';
