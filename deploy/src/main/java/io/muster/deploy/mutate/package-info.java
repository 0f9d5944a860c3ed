/** {@code muster mutate}: what pods would get, without a cluster. */
package io.muster.deploy.mutate;
