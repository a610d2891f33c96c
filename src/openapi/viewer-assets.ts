import process from "node:process";

/** The files of the viewer that are served. */
export interface ViewerAssets {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
}

/** The part of `process` that looks up built-in modules; Node.js has it from 20.16 on. */
export interface BuiltinModules {
  getBuiltinModule?: ((name: "node:module" | "node:fs") => unknown) | undefined;
}

/** The package that the viewer comes from, an optional peer. */
const PACKAGE = "swagger-ui-dist";

/**
 * Reads the files of the viewer from its package, as it is installed beside this one.
 * @returns undefined where the package, or a file system, is not there
 */
export function loadViewerAssets(
  packageName: string = PACKAGE,
  runtime: BuiltinModules = process,
): ViewerAssets | undefined {
  const modules = runtime.getBuiltinModule?.("node:module") as typeof import("node:module") | undefined;
  const files = runtime.getBuiltinModule?.("node:fs") as typeof import("node:fs") | undefined;
  if (modules === undefined || files === undefined) return undefined;
  const { resolve } = modules.createRequire(import.meta.url);
  try {
    return {
      script: files.readFileSync(resolve(`${packageName}/swagger-ui-bundle.js`)),
      style: files.readFileSync(resolve(`${packageName}/swagger-ui.css`)),
    };
  } catch {
    return undefined;
  }
}
