/** Saves a file that the page made, where the browser puts downloads. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has opened the file by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
