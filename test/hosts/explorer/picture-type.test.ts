import { expect, test } from "vitest";
import { pictureType } from "../../../explorer/src/format/picture-type.ts";

test.each([
  ["\x89PNG\r\n\x1A\n", "png"],
  ["\xFF\xD8\xFF\xE0", "jpeg"],
  ["GIF89a", "gif"],
  ["RIFF\x24\x01\x02\x03WEBPVP8 ", "webp"],
  ["BMW, Audi and Volvo", null],
  ["RIFF\x24\x01\x02\x03WAVEfmt ", null],
  ["%PDF-1.7", null],
  ["", null],
])("the bytes %j are a picture of the type %j", (text, type) => {
  expect(pictureType(Buffer.from(text, "latin1").toString("base64url"))).toBe(type);
});
