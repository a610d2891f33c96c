/**
 * Returns whether a glob matches a whole text, in any letter case: `*` matches any characters, `?` matches one. The time grows
 * with the product of both lengths at most.
 */
export function matchesGlob(glob: string, text: string): boolean {
  return matches(glob.toLowerCase(), text.toLowerCase());
}

/** After a difference, the last `*` takes one character more. */
function matches(glob: string, text: string): boolean {
  let [at, position, star, taken] = [0, 0, -1, 0];
  while (position < text.length) {
    if (glob[at] === "*") {
      star = at;
      taken = position;
      at += 1;
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === text[position])) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      taken += 1;
      at = star + 1;
      position = taken;
    } else {
      return false;
    }
  }
  return glob.slice(at).replaceAll("*", "") === "";
}
