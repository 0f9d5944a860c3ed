/**
 * The way to and from the apiserver: its objects become the core's words, watches become events,
 * effects become writes.
 */
package io.muster.extender.kube;
