/** Effects become writes: Bindings, pods, Gangs and Events, each with a deadline. */
package io.muster.extender.kube.write;
