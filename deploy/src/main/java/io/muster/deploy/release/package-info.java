/** Takes Muster out of the cluster's way, and back in. */
package io.muster.deploy.release;
