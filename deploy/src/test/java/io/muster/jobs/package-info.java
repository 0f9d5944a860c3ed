/** Training jobs and their scalers on a real control plane. */
package io.muster.jobs;
