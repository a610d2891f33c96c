import { ConfigurationError } from "../../base/errors/configuration-error.ts";

/** The oldest Node.js that the package supports: major and minor version. */
const OLDEST = [22, 18] as const;

/** The versions of a runtime. Bun and Deno also state a Node.js version, which they do not match. */
type RuntimeVersions = Readonly<Partial<Record<"node" | "bun" | "deno", string>>>;

/**
 * Checks at startup that Node.js is recent enough.
 * @throws ConfigurationError on Node.js below 22.18
 * @see docs/guides/deployment.md
 */
export function checkNodeVersion({ node, bun, deno }: RuntimeVersions = process.versions): void {
  if (node === undefined || bun !== undefined || deno !== undefined) return;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  const message = `odatakit requires Node.js ${OLDEST.join(".")} or later. This is Node.js ${node}.`;
  const fault = { message, fix: "Install a later Node.js, such as the current LTS version." };
  throw new ConfigurationError([fault], { where: "in its runtime" });
}
