// Made by `npm run vendor` of node-diff3; its licence is in LICENSE-diff3.
// node_modules/node-diff3/dist/diff3.mjs
function LCS(buffer1, buffer2) {
	let equivalenceClasses = Object.create(null);
	for (let j = 0; j < buffer2.length; j++) {
		const item = buffer2[j];
		if (equivalenceClasses[item]) equivalenceClasses[item].push(j);
		else equivalenceClasses[item] = [j];
	}
	let candidates = [{
		buffer1index: -1,
		buffer2index: -1,
		chain: null
	}];
	for (let i = 0; i < buffer1.length; i++) {
		const buffer2indices = equivalenceClasses[buffer1[i]] || [];
		let r = 0;
		let c = candidates[0];
		for (const j of buffer2indices) {
			let s;
			for (s = r; s < candidates.length; s++) if (candidates[s].buffer2index < j && (s === candidates.length - 1 || candidates[s + 1].buffer2index > j)) break;
			if (s < candidates.length) {
				const newCandidate = {
					buffer1index: i,
					buffer2index: j,
					chain: candidates[s]
				};
				if (r === candidates.length) candidates.push(c);
				else candidates[r] = c;
				r = s + 1;
				c = newCandidate;
				if (r === candidates.length) break;
			}
		}
		candidates[r] = c;
	}
	return candidates[candidates.length - 1];
}
function diffIndices(buffer1, buffer2) {
	const lcs = LCS(buffer1, buffer2);
	let result = [];
	let tail1 = buffer1.length;
	let tail2 = buffer2.length;
	for (let candidate = lcs; candidate !== null; candidate = candidate.chain) {
		const mismatchLength1 = tail1 - candidate.buffer1index - 1;
		const mismatchLength2 = tail2 - candidate.buffer2index - 1;
		tail1 = candidate.buffer1index;
		tail2 = candidate.buffer2index;
		if (mismatchLength1 || mismatchLength2) result.push({
			buffer1: [tail1 + 1, mismatchLength1],
			buffer1Content: buffer1.slice(tail1 + 1, tail1 + 1 + mismatchLength1),
			buffer2: [tail2 + 1, mismatchLength2],
			buffer2Content: buffer2.slice(tail2 + 1, tail2 + 1 + mismatchLength2)
		});
	}
	result.reverse();
	return result;
}
export { diffIndices };
