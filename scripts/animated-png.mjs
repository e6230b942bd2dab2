// Joins pictures of one size into an animated PNG: https://www.w3.org/TR/png-3/#apng-frame-based-animation
import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** The chunks of a PNG file. */
function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/**
 * Makes an animated PNG that repeats for ever. A viewer without animation shows the first frame.
 * @param {{ png: Buffer, shownMs: number }[]} frames PNG files of one size and colour type
 */
export function animatedPng(frames) {
  const [first] = frames;
  if (!first) throw new Error('An animation needs a frame.');
  const header = chunksOf(first.png).find(({ type }) => type === 'IHDR').data;
  let sequence = 0;
  const numbered = (data) => {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(sequence);
    sequence += 1;
    return Buffer.concat([number, data]);
  };
  const parts = frames.flatMap(({ png, shownMs }, index) => {
    const control = Buffer.alloc(22);
    header.copy(control, 0, 0, 8);
    control.writeUInt16BE(shownMs, 16);
    control.writeUInt16BE(1000, 18);
    const pixels = Buffer.concat(
      chunksOf(png)
        .filter(({ type }) => type === 'IDAT')
        .map(({ data }) => data),
    );
    return [chunk('fcTL', numbered(control)), index === 0 ? chunk('IDAT', pixels) : chunk('fdAT', numbered(pixels))];
  });
  const count = Buffer.alloc(8);
  count.writeUInt32BE(frames.length, 0);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('acTL', count),
    ...parts,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
