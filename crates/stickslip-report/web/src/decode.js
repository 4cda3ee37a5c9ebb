// Numbers of the page: single precision in base64.

export function numbers(text) {
  const bytes = atob(text);
  const buffer = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) buffer[i] = bytes.charCodeAt(i);
  return new Float32Array(buffer.buffer);
}

// The data of a run, decoded: poses by frame, contacts by frame, columns over time.
export function decode(data) {
  const times = numbers(data.times);
  const poses = {};
  for (const name in data.poses) poses[name] = numbers(data.poses[name]);
  const columns = data.columns.map((column) => {
    const flat = numbers(column.points);
    const t = new Float32Array(flat.length / 2);
    const y = new Float32Array(flat.length / 2);
    for (let i = 0; i < t.length; i++) {
      t[i] = flat[2 * i];
      y[i] = flat[2 * i + 1];
    }
    return { name: column.name, t, y };
  });
  return { ...data, times, poses, columns, contacts: numbers(data.contacts) };
}

// Numbers of a contact in a frame; as motion.rs writes them.
const CONTACT = 13;

// The contacts of a frame.
export function contactsAt(run, frame) {
  const out = [];
  for (let k = run.contact_first[frame]; k < run.contact_first[frame + 1]; k++) {
    const c = run.contacts.subarray(k * CONTACT, (k + 1) * CONTACT);
    out.push({
      label: run.labels[c[0]],
      index: c[0],
      mode: c[1] ? "slip" : "stick",
      point: [c[2], c[3], c[4]],
      normal: [c[5], c[6], c[7]],
      force: c[8],
      friction: [c[9], c[10], c[11]],
      coefficient: c[12],
    });
  }
  return out;
}

// The last frame at or before a time.
export function frameAt(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

// The value of a column at a time, on the straight line between its points.
export function valueAt(column, t) {
  const { t: times, y } = column;
  const i = frameAt(times, t);
  if (i + 1 >= times.length || times[i + 1] === times[i]) return y[i];
  const share = Math.min(1, Math.max(0, (t - times[i]) / (times[i + 1] - times[i])));
  return y[i] + share * (y[i + 1] - y[i]);
}
