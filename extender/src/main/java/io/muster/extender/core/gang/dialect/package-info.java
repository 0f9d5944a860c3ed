/** How the pods and objects of each ecosystem say which gang they belong to. */
package io.muster.extender.core.gang.dialect;
