/**
 * The HTTP API by which coordinators, pods and people ask for more or fewer pods of DIJobs, in the
 * words of DI-orchestrator. It makes no pods: what is asked for is written on the job, and the
 * controller goes by that.
 */
package io.muster.controller.kinds.di.server;
