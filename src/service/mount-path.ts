/**
 * Returns the path that precedes the prefix of a service: the path at which the host mounted its handler, without the
 * segments that begin the prefix. So `/odata` and the prefix `/odata` are the root, and `/api` and `/odata` are `/api`.
 * @param hostPath the path of the mount; empty for the root
 * @see docs/guides/hosts.md, Paths
 */
export function mountPathOf(hostPath: string, prefix: string): string {
  const mounted = segmentsOf(hostPath);
  const own = segmentsOf(prefix);
  for (let shared = Math.min(mounted.length, own.length); shared > 0; shared--) {
    const start = mounted.length - shared;
    if (own.slice(0, shared).every((segment, index) => segment === mounted[start + index])) {
      return toPath(mounted.slice(0, start));
    }
  }
  return hostPath;
}

/**
 * Returns the beginning of a raw path that a pattern of the host matches, such as `/a` for `/a/Orders` and `/:tenant`.
 * @param pattern the path of the mount, possibly with parameters
 */
export function matchedPath(path: string, pattern: string): string {
  const { length } = segmentsOf(pattern);
  return toPath(segmentsOf(path.replace(/[?#].*$/s, "")).slice(0, length));
}

/** Returns the segments of a path that begins with a slash, or is empty. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/+$/, "").split("/").slice(1);
}

function toPath(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join("");
}
