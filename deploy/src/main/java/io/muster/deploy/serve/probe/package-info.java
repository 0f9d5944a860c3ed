/** Whether the ports of this process still answer, for its liveness probe. */
package io.muster.deploy.serve.probe;
