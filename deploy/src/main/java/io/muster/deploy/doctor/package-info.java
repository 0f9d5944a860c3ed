/** {@code muster doctor}: what keeps Muster from doing its duty in a cluster, and the way out. */
package io.muster.deploy.doctor;
