// Joins WebP pictures of one size into an animation: https://developers.google.com/speed/webp/docs/riff_container

/** The chunks of a WebP file, each with its head. */
function chunksOf(webp) {
  const chunks = [];
  for (let at = 12; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    chunks.push({ type: webp.toString('latin1', at, at + 4), whole: webp.subarray(at, end) });
    at = end;
  }
  return chunks;
}

function chunk(type, data) {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function uint24(value) {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}

/**
 * Makes an animation that repeats for ever. A viewer without animation shows the first frame.
 * @param {{ webp: Buffer, shownMs: number }[]} frames lossy pictures without transparency
 * @param {{ width: number, height: number }} size that of each, in pixels
 */
export function animatedWebp(frames, { width, height }) {
  const [across, down] = [uint24(width - 1), uint24(height - 1)];
  // Animated; no metadata, no transparency.
  const header = chunk('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), across, down]));
  const animation = chunk('ANIM', Buffer.alloc(6));
  const shown = frames.map(({ webp, shownMs }) => {
    const picture = chunksOf(webp)
      .filter(({ type }) => type === 'VP8 ')
      .map(({ whole }) => whole);
    // Each frame covers the one before, without blending.
    const place = Buffer.concat([uint24(0), uint24(0), across, down, uint24(shownMs), Buffer.from([2])]);
    return chunk('ANMF', Buffer.concat([place, ...picture]));
  });
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), header, animation, ...shown]);
  return chunk('RIFF', body);
}
