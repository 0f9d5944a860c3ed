/** Probes of this process, and whether its ports still answer. */
package io.muster.deploy.serve.probe;
