import process from "node:process";

/** The served files of the viewer. */
export interface ViewerAssets {
  readonly script: Uint8Array;
  readonly style: Uint8Array;
}

/** The part of `process` that looks up built-in modules; Node.js has it from 20.16 on. */
export interface BuiltinModules {
  getBuiltinModule?: ((name: "node:module" | "node:fs") => unknown) | undefined;
}

/** The package of the viewer, an optional peer dependency. */
const PACKAGE = "swagger-ui-dist";

/**
 * Reads the files of the viewer from its installed package.
 * @returns undefined without the package or a file system
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
