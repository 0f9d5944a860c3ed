/** The HTTP verbs that kube-scheduler calls on an extender. */
package io.muster.extender.http;
