// What the package for many threads starts its pool with: workers that are there already.

let members = [];

/** @param {MessagePort[]} ports to workers that wait */
export function setMembers(ports) {
  members = ports;
}

export async function startWorkers(module, memory, builder) {
  const receiver = builder.receiver();
  await Promise.all(members.map((member) => takeIn(member, { module, memory, receiver })));
  builder.build();
  builder.free();
}

/** Resolves when the member is about to take part. */
function takeIn(member, pool) {
  return new Promise((resolve) => {
    member.onmessage = resolve;
    member.postMessage(pool);
  });
}
