/** Which process leads, and for how long: the Lease, and clocks that nobody sets. */
package io.muster.deploy.serve.lease;
