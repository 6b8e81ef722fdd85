// SPDX-License-Identifier: Apache-2.0
// http2_server.js ADDRESS CERTIFICATE KEY: HTTP/2 over TLS and nothing older, on port 443: says the path and the stream.
const fs = require('fs'), http2 = require('http2');
const [address, certificate, key] = process.argv.slice(2);
const server = http2.createSecureServer({cert: fs.readFileSync(certificate), key: fs.readFileSync(key), allowHTTP1: false});
server.on('stream', (stream, fields) => {
  stream.respond({':status': 200, 'content-type': 'text/plain'});
  stream.end(`stream ${stream.id} of ${fields[':authority']}${fields[':path']}\n`);
});
server.on('sessionError', () => {});
server.listen(443, address, () => console.log(JSON.stringify({kind: 'ready'})));
