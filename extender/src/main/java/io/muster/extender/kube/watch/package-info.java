/**
 * Watches become events: pods, nodes, budgets, volumes, ConfigMaps and the objects that state
 * terms.
 */
package io.muster.extender.kube.watch;
