/** Nodes that will go, and the signals by which they announce it. */
package io.muster.controller.kube.node;
